import type { LogLine } from './container-runtime.ts';
import { type SimulatedContainer, stateOf } from './simulated-container.ts';

/** A server that has nothing to do says so this often. */
const ALIVE_MS = 60_000;
/** Signs of life that are remembered. */
const MOST_SIGNS = 100;

/** What a simulated container has printed until `now`: a function of the time, like its state. Oldest line first. */
export function simulatedLog(container: SimulatedContainer, now: number): readonly LogLine[] {
  const { behaviour, startedAt, start } = container;
  const line = (time: number, text: string): LogLine => ({ time, stream: 'stdout', text });
  const said = behaviour.logs?.map((text) => line(startedAt, text));
  const { command = [], args = [], image = '' } = start.container;
  // What a command prints is known; that of an image is made up.
  if (said !== undefined || command.length + args.length > 0) return said ?? [];
  const state = stateOf(container, now);
  const until = state.type === 'exited' ? state.finishedAt : now;
  const signs = Math.floor((until - startedAt) / ALIVE_MS);
  const first = Math.max(1, signs - MOST_SIGNS + 1);
  return [
    line(startedAt, `${start.container.name}: started from ${image}, attempt ${start.attempt}`),
    ...Array.from({ length: signs - first + 1 }, (_, index) => {
      const minutes = ((first + index) * ALIVE_MS) / 60_000;
      return line(startedAt + (first + index) * ALIVE_MS, `${start.container.name}: alive for ${minutes}m`);
    }),
    ...(state.type === 'exited'
      ? [line(until, `${start.container.name}: ended with code ${state.exitCode}`)]
      : []),
  ];
}

/** When it will say something again, by itself; undefined: never. */
export function nextSaying(container: SimulatedContainer, now: number): number | undefined {
  if (stateOf(container, now).type === 'exited') return undefined;
  return container.startedAt + (Math.floor((now - container.startedAt) / ALIVE_MS) + 1) * ALIVE_MS;
}
