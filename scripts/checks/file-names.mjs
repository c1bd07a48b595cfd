// A file has the name of one of its exports, in kebab-case: the one that it is read for. `index.ts`, `main.ts`, generated
// `*.data.ts`, tests and what supports them have names of their own, and so have the files that each operator has.
import { basename } from 'node:path';
import { isTest } from './sources.mjs';

const NAMED_OTHERWISE =
  /(?:^|\/)(?:index|main)\.ts$|\.data\.ts$|\/operators\/src\/[^/]+\/(?:alerts|api|controller)\.ts$/;

/** The same for `readFieldsV1`, `READ_FIELDS_V1` and `read-fields-v1`: where words part, no two people agree. */
const bare = (name) => name.replaceAll(/[-_$]/g, '').toLowerCase();

function exportedNames({ staticExports }) {
  return staticExports.flatMap(({ entries }) => entries.map(({ exportName }) => exportName.name ?? ''));
}

/** @returns {{ counted: number, off: string[] }} `off`: the files that none of their exports names */
export function fileNames(sources) {
  const counted = sources.filter(({ file }) => !isTest(file) && !NAMED_OTHERWISE.test(file));
  const off = counted.filter(({ file, module }) => {
    const name = bare(basename(file, '.ts'));
    return !exportedNames(module).some((exported) => bare(exported) === name);
  });
  return { counted: counted.length, off: off.map(({ file }) => file) };
}
