import { onAbort } from '@kubewright/kube';
import type { PathGuard } from './path-guard.ts';

/** A certificate chain and its private key, in PEM. */
export type ServingCertificate = {
  readonly cert: string;
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly notAfter: number;
};

/** The source of a server's certificate, which may change at any time. */
export type CertificateSource = {
  /** Undefined: there is none yet. */
  current(): ServingCertificate | undefined;
  /** Calls the listener after each change; returns a function that removes it. */
  onChange(listener: () => void): () => void;
  /** Which paths are served: an API server proves by them who it is. Default: those at which webhooks are registered. */
  readonly paths?: PathGuard;
};

/** Waits for a certificate, or until `signal` is aborted. */
export function firstCertificate(source: CertificateSource, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (source.current() === undefined && !signal.aborted) return;
      forget();
      ignore();
      resolve();
    };
    const forget = source.onChange(look);
    const ignore = onAbort(signal, look);
    look();
  });
}
