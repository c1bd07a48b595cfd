import { existsSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import type { NewOperatorOptions } from '../../command-options.ts';
import { KubewrightError } from '../../kubewright-error.ts';
import { operatorNames } from '../../new/operator-names.ts';
import { writeOperator } from '../../new/write-operator.ts';
import type { Terminal } from '../../terminal.ts';
import { version } from '../../run/version.ts';

/** `kubewright new operator NAME`: a project of its own, with all that an operator has. */
export async function newOperator(
  name: string,
  { packages, ...options }: NewOperatorOptions,
  { cwd, out }: Terminal,
): Promise<void> {
  const names = operatorNames(name, options);
  const folder = resolve(cwd, name);
  const files = writeOperator(folder, names, (packageName) =>
    packages === undefined ? version() : packed(packageName, resolve(cwd, packages), folder),
  );
  out(`${files.map((file) => `${join(name, file)}\n`).join('')}
The operator ${name} has the kind ${names.kind} (${names.plural}.${names.group}). Next:
  cd ${name}
  npm install
  npm test
`);
}

/** Where no version is published: the archive that a release folder has. */
function packed(packageName: string, release: string, folder: string): string {
  const file = join(release, `${packageName.replace('@', '').replace('/', '-')}-${version()}.tgz`);
  if (!existsSync(file)) throw new KubewrightError('File', `${file} is not there`);
  return `file:${relative(folder, file)}`;
}
