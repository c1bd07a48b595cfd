import type { CommandRun } from '../../kit/operator.ts';
import { printable } from '../../kit/paint.ts';
import { OperatorError } from '../../operator-error.ts';
import { isSecretFile } from '../export/export-index.ts';
import { type FoundExport, findExport } from '../export/find-export.ts';
import { withProgress } from './with-progress.ts';

/** `kubewright capture remove EXPORT`: of a complete or an interrupted export, every file, and nothing else. */
export async function removeExport({
  args: [at = ''],
  options: { yes },
  terminal,
}: CommandRun): Promise<void> {
  const found = await findExport(at, terminal.signal);
  if (found === undefined) throw new OperatorError('NotFound', `there is no export at ${at}`);
  const print = (removed: boolean, text: string): void =>
    terminal.print({
      json: { export: at, files: found.files.length, removed },
      text: () => printable(`${text}\n`),
    });
  if (yes === undefined) {
    print(
      false,
      `${at} has ${filesIn(found)}${found.isComplete ? '' : ', of an export that is not complete'}`,
    );
    throw new OperatorError('Usage', 'nothing was removed; add --yes to remove all');
  }
  for await (const _ of withProgress(found.remove(), terminal, 'removed'));
  print(true, `${at} is removed: ${filesIn(found)}`);
}

function filesIn({ files }: FoundExport): string {
  const all = files.length === 1 ? '1 file' : `${files.length} files`;
  const secrets = files.filter(isSecretFile).length;
  return secrets === 0 ? all : `${all}, ${secrets} of them of Secrets`;
}
