import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { guideFiles } from './guide-files.ts';
import { type Packed, ROOT } from './packed.ts';
import type { Registry } from './registry.ts';
import { npm } from './run.ts';

/** Development tools are no part of what is tested: they are the repository's own. */
const TOOLS = ['vitest', 'typescript', 'tsx', '@types/node'];

/** What users may choose of the compiler: the strictest of it, and no library of browsers. */
const COMPILER = {
  target: 'es2023',
  lib: ['es2023'],
  types: ['node'],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  verbatimModuleSyntax: true,
  skipLibCheck: false,
  allowImportingTsExtensions: true,
  noEmit: true,
};

/** Makes in `folder` the project of somebody who installed every package and wrote down what the guide prints. */
export async function makeFreshProject(
  folder: string,
  packages: readonly Packed[],
  { url, env }: Registry,
): Promise<void> {
  writeJson(join(folder, 'package.json'), { name: 'fresh', private: true, type: 'module' });
  const specs = packages.map(({ manifest: { name }, file }) => (name.startsWith('@') ? name : url + file));
  await npm(['install', '--no-package-lock', ...specs], folder, env);
  for (const tool of TOOLS) {
    const link = join(folder, 'node_modules', tool);
    mkdirSync(dirname(link), { recursive: true });
    // A dependency of the packages may have brought its own.
    rmSync(link, { recursive: true, force: true });
    symlinkSync(join(ROOT, 'node_modules', tool), link, 'junction');
  }
  writeExample(folder);
  writeFileSync(join(folder, 'every-entry.test.ts'), importEvery(packages));
  for (const [moduleResolution, module] of [
    ['nodenext', 'nodenext'],
    ['bundler', 'esnext'],
  ] as const)
    writeJson(join(folder, `tsconfig.${moduleResolution}.json`), {
      compilerOptions: { ...COMPILER, module, moduleResolution },
    });
}

/** The guide's files: what people type in, or copy. */
function writeExample(folder: string): void {
  // Another program may have the port that the guide gives its health.
  for (const [name, text] of guideFiles())
    writeFileSync(join(folder, name), text.replace('port: 8081', 'port: 0'));
}

/** A test that loads all that users may import. */
function importEvery(packages: readonly Packed[]): string {
  const entries = packages.flatMap(({ manifest: { name, exports = {} } }) =>
    Object.keys(exports)
      .filter((path) => !path.includes('*'))
      .map((path) => name + path.slice(1)),
  );
  const imports = entries.map((entry, index) => `import * as entry${index} from '${entry}';`);
  const loaded = entries.map((_, index) => `entry${index}`).join(', ');
  return `import { expect, test } from 'vitest';
${imports.join('\n')}
test.each([${loaded}])('an entry has exports', (entry) => expect(Object.keys(entry)).not.toEqual([]));
`;
}

function writeJson(path: string, value: unknown): void {
  writeFileSync(path, JSON.stringify(value, null, 2));
}
