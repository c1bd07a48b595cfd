// The compiler leaves what it made of sources that are gone since. Nothing may load or publish that.
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGES = fileURLToPath(new URL('../packages', import.meta.url));
const OUTPUT = /\.(?:d\.ts|js)(?:\.map)?$/;

for (const name of readdirSync(PACKAGES)) {
  const [dist, src] = ['dist', 'src'].map((folder) => join(PACKAGES, name, folder));
  if (!existsSync(dist)) continue;
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    const file = relative(dist, path);
    if (!OUTPUT.test(file) || /^bundle\b/.test(file)) continue;
    if (!existsSync(join(src, file.replace(OUTPUT, '.ts')))) rmSync(path);
  }
}
