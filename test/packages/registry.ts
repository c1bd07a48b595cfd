import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Installed, installedPackages } from './installed-packages.ts';
import type { Packed } from './packed.ts';

/**
 * A package registry on the loopback: an install asks it as it would ask the public one. It has what was packed, and what is
 * installed in the repository; it is all that an install of the tests reaches.
 */
export type Registry = {
  readonly url: string;
  /** For npm, which then asks no other. */
  readonly env: Readonly<Record<string, string>>;
  close(): void;
};

export async function startRegistry(ours: readonly Packed[]): Promise<Registry> {
  const theirs = installedPackages();
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '').slice(1);
    // npm's cache outlives this server, and its next one may have the same port.
    response.setHeader('cache-control', 'no-store');
    const packed = ours.find(({ manifest, file }) => path === manifest.name || path === file);
    if (packed !== undefined && path === packed.file) response.end(packed.tarball);
    else if (packed !== undefined) response.end(JSON.stringify(describe(packed, url)));
    else void serveInstalled(theirs, path, url, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
  return {
    url,
    env: { npm_config_registry: url },
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

/** A path is the name of a package, or that of an archive as `describeInstalled` gives it. */
async function serveInstalled(
  theirs: ReadonlyMap<string, readonly Installed[]>,
  path: string,
  url: string,
  response: ServerResponse,
): Promise<void> {
  const [name = '', version] = path.split('/-/');
  const found = theirs.get(name) ?? [];
  const one = found.find((installed) => version === `${installed.version}.tgz`);
  if (one !== undefined) response.end(await one.pack());
  else if (found.length === 0 || version !== undefined) response.writeHead(404).end('{}');
  else response.end(JSON.stringify(describeInstalled(name, found, url)));
}

/** The one at the top is what the repository itself uses. */
function describeInstalled(name: string, found: readonly Installed[], url: string): unknown {
  const versions = found.map(({ version, manifest }) => {
    const tarball = `${url}${name}/-/${version}.tgz`;
    return [version, { ...manifest, dist: { tarball } }];
  });
  return { name, 'dist-tags': { latest: found[0]?.version }, versions: Object.fromEntries(versions) };
}
