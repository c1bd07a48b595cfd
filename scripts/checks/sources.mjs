// The source files of the packages, each parsed once for all checks.
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseSync } from 'oxc-parser';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

export const isTest = (file) => /\.(?:test|contract|bench)\.ts$|\/testing\//.test(file);

function* typescriptFiles(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* typescriptFiles(path);
    else if (entry.name.endsWith('.ts')) yield path;
  }
}

/** `file` is relative to the repository and has forward slashes. */
function source(packageName, path) {
  const text = readFileSync(path, 'utf8');
  const parsed = parseSync(path, text);
  return {
    packageName,
    path,
    file: relative(ROOT, path).split(sep).join('/'),
    text,
    module: parsed.module,
    /** Slow to read: the parser hands the whole tree over as JSON. */
    program: () => parsed.program,
  };
}

export function sources() {
  return readdirSync(join(ROOT, 'packages')).flatMap((packageName) => {
    const folder = join(ROOT, 'packages', packageName, 'src');
    return existsSync(folder) ? [...typescriptFiles(folder)].map((path) => source(packageName, path)) : [];
  });
}

/** Every module that a source names, with its place. Imports of types count; `import('…')` in a type does too. */
export function* moduleRequests({ text, module }) {
  for (const { moduleRequest } of module.staticImports) yield moduleRequest;
  for (const { entries } of module.staticExports) {
    for (const { moduleRequest } of entries) if (moduleRequest) yield moduleRequest;
  }
  for (const { index: start, 1: value } of text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]/g))
    yield { start, value };
}

export const lineOf = (text, offset) => text.slice(0, offset).split('\n').length;
