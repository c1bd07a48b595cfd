import type { CommandRun, CommandStage } from '../../kit/operator.ts';
import { printable } from '../../kit/paint.ts';
import { identityOf } from '../export/file-of.ts';
import { readCaptured } from './read-captured.ts';

/** `kubewright capture show CHECKPOINT`: verifies every chunk before it prints anything. */
export async function showCheckpoint(
  { args: [source = ''], terminal: { print } }: CommandRun,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const objects = await readCaptured(source, connect);
  const titles = objects.map(identityOf).map(({ kind, name }) => `${kind}/${name}\n`);
  print({ json: objects, text: () => printable(titles.join('')) });
}
