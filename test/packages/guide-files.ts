import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './packed.ts';

/** Every block of TypeScript in the guide says of which file it is a part: the files, made of their parts in order. */
export function guideFiles(): ReadonlyMap<string, string> {
  const guide = readFileSync(join(ROOT, 'docs/write-an-operator.md'), 'utf8');
  const files = new Map<string, string>();
  for (const [, name = '', block = ''] of guide.matchAll(/^```ts *(\S*)\n(.*?)^```$/gms)) {
    const before = files.get(name);
    files.set(name, before === undefined ? block : `${before}\n${block}`);
  }
  return files;
}
