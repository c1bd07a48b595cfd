import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createApiServer, type KeyPair, makeCertificates } from '@kubewright/apiserver';
import { systemClock } from '@kubewright/kube';
import { KubewrightError } from '../kubewright-error.ts';
import { openAuditLog } from '../run/audit-log.ts';
import { explainPort, untilStopped } from '../run/serve-api.ts';
import type { Terminal } from '../terminal.ts';
import { apiserverOptions } from './apiserver-options.ts';
import type { GivenFlags } from './read-go-flags.ts';

/** Stands in for kube-apiserver: takes its flags and serves the embedded API, until a signal. */
export async function runKubeApiserver(flags: GivenFlags, terminal: Terminal): Promise<void> {
  const read = async (path: string): Promise<string> => {
    try {
      return await readFile(resolve(terminal.cwd, path), 'utf8');
    } catch (error) {
      throw new KubewrightError('File', `cannot read ${path}, which a flag names`, { cause: error });
    }
  };
  const { server, listen, auditLog, certificateFolder } = await apiserverOptions(flags, read);
  const certificate =
    certificateFolder === undefined
      ? listen.certificate
      : await leaveCertificate(resolve(terminal.cwd, certificateFolder), listen.host);
  const log =
    auditLog === undefined || auditLog === '-'
      ? undefined
      : await openAuditLog(resolve(terminal.cwd, auditLog));
  const api = createApiServer({ ...server, ...(log === undefined ? {} : { audit: log.sink }) });
  try {
    const { url } = await api.listen({ ...listen, ...(certificate === undefined ? {} : { certificate }) });
    terminal.err(`serving on ${url}\n`);
    await untilStopped(terminal);
  } catch (error) {
    throw explainPort(error, 'choose another with --secure-port', listen.port) ?? error;
  } finally {
    await api.close();
    await log?.close();
  }
}

/** As kube-apiserver does where a folder has no certificate: clients find there whom to trust. */
async function leaveCertificate(folder: string, host: string): Promise<KeyPair> {
  const { ca, cert, key } = await makeCertificates(new Date(systemClock.now()), [host]);
  const chain = `${cert.trimEnd()}\n${ca.trimEnd()}\n`;
  try {
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, 'apiserver.crt'), chain);
    await writeFile(join(folder, 'apiserver.key'), key, { mode: 0o600 });
  } catch (error) {
    throw new KubewrightError(
      'File',
      `cannot write a certificate to ${folder}; choose another with --cert-dir`,
      {
        cause: error,
      },
    );
  }
  return { cert: chain, key };
}
