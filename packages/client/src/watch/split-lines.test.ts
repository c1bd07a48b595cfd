import { describe, expect, it } from 'vitest';
import { splitLines } from './split-lines.ts';

async function* chunked(chunks: readonly string[]): AsyncGenerator<Uint8Array> {
  for (const chunk of chunks) yield Buffer.from(chunk);
}

async function linesOf(chunks: readonly string[], limit = 100): Promise<string[]> {
  const lines: string[] = [];
  for await (const line of splitLines(chunked(chunks), limit)) lines.push(Buffer.from(line).toString());
  return lines;
}

describe('splitLines', () => {
  it.each([
    ['several lines in a chunk', ['a\nb\nc\n'], ['a', 'b', 'c']],
    ['a line over three chunks', ['ab', 'cd', 'ef\ng\n'], ['abcdef', 'g']],
    ['an end of line alone in its chunk', ['ab', '\n', 'c\n'], ['ab', 'c']],
    ['empty lines', ['\n\na\n\n'], ['a']],
    ['a last line that was cut', ['a\nb'], ['a']],
    ['a character of several bytes cut in the middle', ['é\n'], ['é']],
    ['nothing', [], []],
  ])('%s', async (_title, chunks, expected) => {
    expect(await linesOf(chunks)).toEqual(expected);
  });

  it('joins the bytes of a character that two chunks share', async () => {
    const bytes = Buffer.from('é\n');
    const parts = [bytes.subarray(0, 1), bytes.subarray(1)];
    const lines: string[] = [];
    for await (const line of splitLines(
      (async function* () {
        yield* parts;
      })(),
      100,
    )) {
      lines.push(Buffer.from(line).toString());
    }
    expect(lines).toEqual(['é']);
  });

  it('refuses to keep a line without end in memory', async () => {
    await expect(linesOf(['x'.repeat(60), 'x'.repeat(60)])).rejects.toMatchObject({ reason: 'TooLarge' });
  });
});
