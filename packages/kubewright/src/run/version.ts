import { readFileSync } from 'node:fs';

/** The package's version; its manifest is as far from a bundle as from a module. */
export function version(): string {
  const manifest = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(manifest) as { readonly version: string }).version;
}
