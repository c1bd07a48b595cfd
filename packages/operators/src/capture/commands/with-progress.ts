import type { CommandTerminal } from '../../kit/operator.ts';

/** Often enough for a person, seldom enough for a terminal. */
const EVERY = 100;

/** The same items; shows how many there have been, of how many where that is known. Ends when the command is interrupted. */
export async function* withProgress<T>(
  items: AsyncIterable<T>,
  { progress, signal }: Pick<CommandTerminal, 'progress' | 'signal'>,
  does: string,
  { before = 0, total }: { readonly before?: number; readonly total?: number } = {},
): AsyncGenerator<T, void> {
  const of = total === undefined ? '' : ` of ${total}`;
  let count = before;
  for await (const item of items) {
    signal.throwIfAborted();
    if (++count % EVERY === 0) progress(`${count}${of} objects ${does}`);
    yield item;
  }
}
