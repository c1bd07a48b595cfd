import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { KubewrightError } from '../kubewright-error.ts';
import type { OperatorNames } from './operator-names.ts';

/** A module of a bundle is as deep in the package as this one. */
const TEMPLATE = fileURLToPath(new URL('../../templates/operator', import.meta.url));

/** What npm leaves out of a package is there under another name. */
const RENAMED: Readonly<Record<string, string>> = { gitignore: '.gitignore' };
/** Of a template that somebody has tried where it is. */
const OMITTED = new Set(['node_modules', 'dist', 'package-lock.json']);

type Manifest = Record<'dependencies' | 'devDependencies', Record<string, string>>;

/**
 * Writes the template of an operator into a new folder, under its own names. `specOf` says what npm installs for a package of ours.
 *
 * @returns the files, in order
 */
export function writeOperator(
  folder: string,
  names: OperatorNames,
  specOf: (packageName: string) => string,
): readonly string[] {
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new KubewrightError('File', `${folder} is there and not empty`);
  const files = new Map(
    templateFiles().map((file) => {
      const text = named(readFileSync(join(TEMPLATE, file), 'utf8'), names);
      const content = file === 'package.json' ? withSpecs(text, specOf) : text;
      return [named(RENAMED[file] ?? file, names), content];
    }),
  );
  for (const [file, content] of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), content, { flag: 'wx' });
  }
  return [...files.keys()].toSorted();
}

function templateFiles(): readonly string[] {
  return readdirSync(TEMPLATE, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(TEMPLATE, join(parentPath, name)).split(sep).join('/'))
    .filter((file) => !OMITTED.has(file.split('/', 1)[0] ?? ''));
}

/** The template's words for the names of another operator. */
function named(text: string, { name, kind, plural, group }: OperatorNames): string {
  const words: Readonly<Record<string, string>> = {
    samples: plural,
    Sample: kind,
    sample: name,
    'example.com': group,
  };
  return text
    .replaceAll('singular: sample', `singular: ${kind.toLowerCase()}`)
    .replaceAll(/samples|[Ss]ample|example\.com/g, (word) => words[word] ?? word);
}

function withSpecs(text: string, specOf: (packageName: string) => string): string {
  const manifest = JSON.parse(text) as Manifest;
  for (const list of [manifest.dependencies, manifest.devDependencies])
    for (const packageName of Object.keys(list))
      if (/^(?:@kubewright\/|kubewright$)/.test(packageName)) list[packageName] = specOf(packageName);
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}
