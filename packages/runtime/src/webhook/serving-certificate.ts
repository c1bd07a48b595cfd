import { onAbort } from '@kubewright/kube';

/** PEM texts of what a server shows, and of its private key. */
export type ServingCertificate = {
  readonly cert: string;
  readonly key: string;
  /** Milliseconds since 1970. */
  readonly notAfter: number;
};

/** Where a server gets its certificate from: it may change at any time. */
export type CertificateSource = {
  /** Undefined: there is none yet. */
  current(): ServingCertificate | undefined;
  /** Calls back after each change; returns a function that ends that. */
  onChange(listener: () => void): () => void;
};

/** Resolves when there is a certificate, or when `signal` is aborted. */
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
