import type { CommandStage } from '../../kit/operator.ts';

/** Shows in one line how far several requests are. */
export type RequestBoard = {
  /** Prints what has changed of a request, and shows what is waited for. */
  readonly show: (title: string, line: string) => void;
  readonly done: (title: string) => void;
};

/**
 * Where there is a terminal, the line is replaced as requests go on; elsewhere it is printed every few seconds, see
 * {@link CommandStage.progress}. Changes are lines of their own everywhere. Stages of demos show no progress.
 */
export function requestBoard(
  { out, progress = () => undefined }: Pick<CommandStage, 'out'> & Partial<Pick<CommandStage, 'progress'>>,
  total = 1,
): RequestBoard {
  const waiting = new Map<string, string>();
  let count = 0;
  const draw = (): void => {
    const [first] = waiting;
    if (first === undefined) return progress('');
    const counts = total === 1 ? '' : `${count} of ${total} requests are done; waiting for `;
    progress(`${counts}${first.join(': ')}`);
  };
  return {
    show(title, line) {
      if (waiting.get(title) !== line) {
        progress('');
        out(`${title}: ${line}\n`);
      }
      waiting.set(title, line);
      draw();
    },
    done(title) {
      waiting.delete(title);
      count++;
      draw();
    },
  };
}
