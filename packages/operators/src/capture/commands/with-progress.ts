import type { CommandTerminal } from '../../kit/operator.ts';

/** Often enough for a person, seldom enough for a terminal. */
const EVERY = 100;

/** The same items; shows how many there have been. Ends when the command is interrupted. */
export async function* withProgress<T>(
  items: AsyncIterable<T>,
  { progress, signal }: Pick<CommandTerminal, 'progress' | 'signal'>,
  does: string,
): AsyncGenerator<T, void> {
  let count = 0;
  for await (const item of items) {
    signal.throwIfAborted();
    if (++count % EVERY === 0) progress(`${count} objects ${does}`);
    yield item;
  }
}
