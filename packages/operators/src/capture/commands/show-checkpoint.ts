import type { CommandRun, CommandStage } from '../../kit/operator.ts';
import { printable } from '../../kit/paint.ts';
import { identityOf } from '../export/file-of.ts';
import { leftOutTable, readLeftOut } from './read-left-out.ts';
import { readCaptured, readDecrypted, readKeys } from './read-captured.ts';

/** `kubewright capture show CHECKPOINT`: verifies every chunk before it prints anything. */
export async function showCheckpoint(
  { args: [source = ''], options: { keyFile }, terminal }: CommandRun,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  // Without keys it shows what is stored.
  const from = { source, signal: terminal.signal };
  const objects = await collected(
    keyFile === undefined
      ? readCaptured(from, connect)
      : readDecrypted(from, await readKeys(keyFile, terminal), connect),
  );
  const titles = objects.map(identityOf).map(({ kind, name }) => `${kind}/${name}\n`);
  const leftOut = leftOutTable(await readLeftOut(from, connect));
  const rest = leftOut === '' ? '' : `\n${leftOut}`;
  terminal.print({ json: objects, text: () => `${printable(titles.join(''))}${rest}` });
}

async function collected<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}
