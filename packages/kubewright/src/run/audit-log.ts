import { createWriteStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { once } from 'node:events';
import type { AuditSink } from '@kubewright/apiserver';
import { KubewrightError } from '../kubewright-error.ts';

/** A file of audit events, one JSON object a line, as kube-apiserver's `--audit-log-path` has them. */
export type AuditLog = {
  readonly sink: AuditSink;
  /** Resolves when all that was said is written. */
  close(): Promise<void>;
};

/** Opens a file to append to; only its owner may read it. */
export async function openAuditLog(path: string): Promise<AuditLog> {
  try {
    await (await open(path, 'a', 0o600)).close();
  } catch (error) {
    throw new KubewrightError('File', `cannot write ${path}; choose another file with --audit-log`, {
      cause: error,
    });
  }
  const stream = createWriteStream(path, { flags: 'a', mode: 0o600 });
  // A disk that is full must not end the API; what is lost is lost.
  stream.on('error', () => {});
  return {
    sink: (event) => void stream.write(`${JSON.stringify(event)}\n`),
    async close() {
      stream.end();
      if (!stream.closed && !stream.destroyed) await once(stream, 'close');
    },
  };
}
