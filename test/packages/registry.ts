import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Packed } from './packed.ts';

/** A package registry on the loopback that holds what was packed: an install asks it as it would ask the public one. */
export type Registry = { readonly url: string; close(): void };

export async function startRegistry(packages: readonly Packed[]): Promise<Registry> {
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1);
    const found = packages.find(({ manifest, file }) => path === manifest.name || path === file);
    // npm's cache outlives this server, and its next one may have the same port.
    response.setHeader('cache-control', 'no-store');
    if (found === undefined) response.writeHead(404).end('{}');
    else if (path === found.file) response.end(found.tarball);
    else response.end(JSON.stringify(describe(found, url)));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    url,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

function describe({ manifest, file, integrity }: Packed, url: string): unknown {
  const { name, version } = manifest;
  const versions = { [version]: { ...manifest, dist: { tarball: url + file, integrity } } };
  return { name, 'dist-tags': { latest: version }, versions };
}
