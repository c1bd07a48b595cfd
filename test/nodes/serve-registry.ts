import { createReadStream, statSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { issueCertificate, type KeyPair } from '../support/certificates.ts';
import { type Images, MANIFEST_TYPE } from './images.ts';

/** Its name, and the host in the names of its images. */
export const REGISTRY = 'registry.test';

export type Registry = {
  /** It has nothing, as far as anybody can tell. */
  isAway: boolean;
  close(): Promise<void>;
};

const PATH = /^\/v2\/([^?]+)\/(manifests|blobs)\/([^/?]+)/;

/** A registry that has these images, for reading. */
export async function serveRegistry(images: Images, host: string, ca: KeyPair): Promise<Registry> {
  const subject = [{ CN: [REGISTRY] }];
  const tls = await issueCertificate(ca, { subject, usage: 'server', names: [REGISTRY] });
  const registry: Registry = {
    isAway: false,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  const server = createServer(tls, ({ url = '', method }, response) => {
    const [, name = '', kind, reference = ''] = PATH.exec(url) ?? [];
    const isBlob = kind === 'blobs';
    const digest = (isBlob ? undefined : images.manifests.get(`${name}:${reference}`)) ?? reference;
    const path = registry.isAway ? undefined : images.blobs.get(digest);
    if (path === undefined) response.writeHead(url.startsWith('/v2/?') ? 200 : 404).end();
    else send(response, { path, digest, isBlob, isHead: method === 'HEAD' });
  });
  await new Promise<void>((resolve) => server.listen(443, host, resolve));
  return registry;
}

type Content = {
  readonly path: string;
  readonly digest: string;
  readonly isBlob: boolean;
  readonly isHead: boolean;
};

function send(response: ServerResponse, { path, digest, isBlob, isHead }: Content): void {
  response.writeHead(200, {
    'content-type': isBlob ? 'application/octet-stream' : MANIFEST_TYPE,
    'content-length': statSync(path).size,
    'docker-content-digest': digest,
  });
  if (isHead) response.end();
  else createReadStream(path).pipe(response);
}
