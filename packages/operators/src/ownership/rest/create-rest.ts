import { type ChannelSource, createChannelSource, type Manager, type Source } from '@kubewright/runtime';
import { objectVersions } from './object-versions.ts';
import { RestMemory } from './rest-memory.ts';
import type { RestTools } from './rest-pass.ts';

/** What a process remembers of objects, and how their changes are reported to it. */
export type ObjectsAtRest = {
  readonly tools: RestTools;
  /** Slices that have to look at objects again, because a watch was behind. */
  readonly late: ChannelSource;
  /** The same sources, whose requests are noted: after those, late reports of watches count. */
  readonly noted: (sources: readonly Source[]) => readonly Source[];
};

export function createRest(manager: Manager, { isAtRest }: Pick<RestTools, 'isAtRest'>): ObjectsAtRest {
  const { clock, random } = manager;
  const memory = new RestMemory();
  const late = createChannelSource('changed objects');
  const monotonic = (): number => clock.monotonic();
  const versions = objectVersions(manager, {
    object(key, version) {
      const request = memory.changed(key, version, monotonic());
      if (request !== undefined) late.send(request);
    },
    group(group) {
      for (const request of memory.changedGroup(group, monotonic())) late.send(request);
    },
  });
  const tools = { memory, versions, monotonic, random, ...(isAtRest && { isAtRest }) };
  return { tools, late, noted: (sources) => sources.map((source) => noting(source, memory)) };
}

function noting(source: Source, memory: RestMemory): Source {
  return {
    ...source,
    start({ cache, enqueue }) {
      return source.start({
        cache,
        enqueue(request, priority) {
          memory.noteTrigger(request);
          enqueue(request, priority);
        },
      });
    },
  };
}
