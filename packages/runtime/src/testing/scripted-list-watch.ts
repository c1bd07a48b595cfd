import assert from 'node:assert/strict';
import type { ObjectList, WatchEvent } from '@kubewright/client';
import { RuntimeError } from '../runtime-error.ts';
import type { ListWatch } from '../cache/run-reflector.ts';

type Step =
  | { readonly list: ObjectList | Error }
  /** `end`: an error breaks the call, `hold` keeps it open until it is aborted, otherwise the server ends it. */
  | { readonly watch: readonly WatchEvent[]; readonly end?: Error | 'hold' };

export type ScriptedListWatch = ListWatch & {
  /** The calls: `list`, `list next-token`, `watch 7`. */
  readonly calls: string[];
  /** True when the end of the script has been reached. */
  finished(): boolean;
};

/** Plays the server's side of a reflector. After the last step every call hangs until it is aborted. */
export function scriptedListWatch(script: readonly Step[]): ScriptedListWatch {
  const left = [...script];
  const calls: string[] = [];
  let finished = false;
  const next = (): Step | undefined => {
    const step = left.shift();
    if (step === undefined) finished = true;
    return step;
  };
  return {
    calls,
    finished: () => finished,
    async list(page, signal) {
      calls.push(page === undefined ? 'list' : `list ${page}`);
      const step = next();
      if (step === undefined) return hang(signal);
      assert('list' in step, `the script wants a watch, not a list: ${calls.join(', ')}`);
      if (step.list instanceof Error) throw step.list;
      return step.list;
    },
    async *watch(resourceVersion, _timeout, signal, onOpen) {
      calls.push(`watch ${resourceVersion}`);
      const step = next();
      if (step === undefined) return hang(signal);
      assert('watch' in step, `the script wants a list, not a watch: ${calls.join(', ')}`);
      onOpen();
      yield* step.watch;
      if (step.end instanceof Error) throw step.end;
      if (step.end === 'hold') {
        finished = true;
        await hang(signal);
      }
    },
  };
}

function hang(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new RuntimeError('Aborted', 'aborted')), { once: true });
  });
}
