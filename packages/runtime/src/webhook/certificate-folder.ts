import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, sleep, systemClock } from '@kubewright/client';
import { errorText } from '@kubewright/kube';
import type { Logger } from '../log/logger.ts';
import type { Runnable } from '../runnable.ts';
import { isOneOf, type PathGuard } from './path-guard.ts';
import { isSegment } from './path-segment.ts';
import type { CertificateSource, ServingCertificate } from './serving-certificate.ts';

export type CertificateFolderOptions = {
  /**
   * The folder with `tls.crt` and `tls.key`, such as a mounted Secret of type `kubernetes.io/tls`. With a file
   * `path-segments`, webhooks are served only with one of its lines behind their path (`kw-` and 32 hexadecimal digits).
   */
  readonly folder: string;
  readonly log: Logger;
  readonly clock?: Clock;
};

/** A mounted Secret is replaced by a symbolic link, which file notifications miss; so the files are read again. */
const LOOK_EVERY_MS = 1000;

/**
 * A serving certificate that somebody else issues and renews, as files. A pair that is incomplete, or whose key does
 * not belong to the certificate, is skipped: it is half written. Until there is a pair, the server waits.
 */
export function createCertificateFolder(options: CertificateFolderOptions): CertificateSource & Runnable {
  const { folder, log, clock = systemClock } = options;
  const listeners = new Set<() => void>();
  let current: ServingCertificate | undefined;
  let problem: string | undefined;
  const paths = folderPaths();
  const look = async (): Promise<void> => {
    const found = (await paths.read(folder)) ?? (await readPair(folder));
    const text = typeof found === 'string' ? found : undefined;
    if (text !== undefined && text !== problem)
      log.error('cannot use the serving certificate', { reason: text });
    problem = text;
    if (typeof found === 'string' || (found.cert === current?.cert && found.key === current.key)) return;
    current = found;
    log.info('the serving certificate is read', { folder, notAfter: new Date(found.notAfter).toISOString() });
    for (const listener of listeners) listener();
  };
  return {
    needLeaderElection: false,
    paths,
    current: () => current,
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    async start(signal) {
      while (!signal.aborted) {
        await look();
        await sleep(clock, LOOK_EVERY_MS, signal);
      }
    },
  };
}

const SEGMENTS = 'path-segments';

/** The segments in the folder; without the file, as with the original's chart, paths have none. */
function folderPaths(): PathGuard & { read(folder: string): Promise<string | undefined> } {
  let segments: readonly string[] | undefined;
  return {
    admits: (_base, segment) =>
      segments === undefined || segment === undefined ? segments === segment : isOneOf(segments, segment),
    async read(folder) {
      const text = await readFile(join(folder, SEGMENTS), 'utf8').catch(absent);
      if (text === undefined && segments === undefined) return undefined;
      const lines = (text ?? '')
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '');
      // Whoever could remove the file could otherwise open what it closes.
      if (lines.length === 0 || !lines.every(isSegment)) return `${folder}/${SEGMENTS} has no segments`;
      segments = lines;
      return undefined;
    },
  };
}

function absent(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
  throw error;
}

/** The pair, or why it cannot be used. */
async function readPair(folder: string): Promise<ServingCertificate | string> {
  try {
    const [cert, key] = await Promise.all(
      ['tls.crt', 'tls.key'].map((name) => readFile(join(folder, name), 'utf8')),
    );
    if (cert === undefined || key === undefined) return `${folder} has no pair`;
    const certificate = new X509Certificate(cert);
    if (!certificate.checkPrivateKey(createPrivateKey(key)))
      return `the key in ${folder} does not belong to the certificate`;
    return { cert, key, notAfter: Date.parse(certificate.validTo) };
  } catch (error) {
    return errorText(error);
  }
}
