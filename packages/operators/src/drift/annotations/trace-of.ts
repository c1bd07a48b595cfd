import {
  getOwn,
  isJsonObject,
  type JsonObject,
  type KubeObject,
  stringifyJson,
  defined,
} from '@kubewright/kube';
import { ANNOTATIONS, type Hop, LABEL_PREFIX } from '../api.ts';
import { readAnnotation, numberAt, objectsOf, textAt } from './read-annotation.ts';

/** The first hop and the latest ones are kept. */
const MOST_HOPS = 20;
/** Labels make a trace long: of a longer one, hops after the first are left out. A quarter of what a server stores. */
const MOST_CHARACTERS = 65_536;

/** The most labels of a hop, and their longest value: what a person may write, and what a hop takes over. */
export const LABEL_LIMITS = { labels: 20, characters: 1024 } as const;

/** Of the latest traces, by their texts: a decision reads the same ones several times. */
const known = new Map<string, readonly Hop[]>();
/** The text of the latest: it is written twice. A map of more would keep each until V8 collects all garbage. */
let written: { readonly trace: readonly Hop[]; readonly text: string } | undefined;
const MOST_KNOWN = 200;
/** Longer ones are read each time. */
const LONGEST_KNOWN = 4096;

function remember(text: string, trace: readonly Hop[]): void {
  if (text.length > LONGEST_KNOWN) return;
  if (known.size >= MOST_KNOWN) known.clear();
  known.set(text, trace);
}

/** The trace of an object; empty if there is none, or it cannot be parsed. */
export function traceOf(object: KubeObject | undefined): readonly Hop[] {
  const text = readAnnotation(object, ANNOTATIONS.trace);
  if (text === undefined) return [];
  const found = known.get(text);
  if (found !== undefined) return found;
  const trace = (objectsOf(text) ?? []).map(hopOf);
  remember(text, trace);
  return trace;
}

export function formatTrace(trace: readonly Hop[]): string {
  if (written?.trace === trace) return written.text;
  const text = stringifyJson(trace);
  written = { trace, text };
  remember(text, trace);
  return text;
}

export function extendTrace(trace: readonly Hop[], hop: Hop): readonly Hop[] {
  const all = [...trace, hop];
  return shortened(all.length <= MOST_HOPS ? all : [...all.slice(0, 1), ...all.slice(1 - MOST_HOPS)]);
}

/** The last hop stays, and so does the first, unless it is too long itself. */
function shortened(trace: readonly Hop[]): readonly Hop[] {
  if (formatTrace(trace).length <= MOST_CHARACTERS) return trace;
  const lengths = trace.map((hop) => formatTrace([hop]).length);
  let length = lengths.reduce((sum, one) => sum + one, 0);
  let next = 1;
  while (length > MOST_CHARACTERS && next < trace.length - 1) length -= lengths[next++] ?? 0;
  return [...trace.slice(length > MOST_CHARACTERS ? 1 : 0, 1), ...trace.slice(next)];
}

/** The labels for an object's hop, from its annotations. */
export function labelsOf(
  annotations: Readonly<Record<string, string>>,
): Readonly<Record<string, string>> | undefined {
  const labels = Object.entries(annotations)
    .filter(([key]) => key.startsWith(LABEL_PREFIX) && key.length > LABEL_PREFIX.length)
    .slice(0, LABEL_LIMITS.labels)
    .map(
      ([key, value]) => [key.slice(LABEL_PREFIX.length), value.slice(0, LABEL_LIMITS.characters)] as const,
    );
  return labels.length === 0 ? undefined : Object.fromEntries(labels);
}

/** Foreign hops are copied and shown, never acted on. */
function hopOf(entry: JsonObject): Hop {
  const [labels, approval, causedBy, tool] = ['labels', 'approval', 'causedBy', 'tool'].map((key) => {
    const value = getOwn(entry, key);
    return isJsonObject(value) ? value : undefined;
  });
  return {
    apiVersion: textAt(entry, 'apiVersion') ?? '',
    kind: textAt(entry, 'kind') ?? '',
    name: textAt(entry, 'name') ?? '',
    generation: numberAt(entry, 'generation') ?? 0,
    user: textAt(entry, 'user') ?? '',
    timestamp: textAt(entry, 'timestamp') ?? '',
    ...defined({ labels, approval, causedBy, tool: tool && toolOf(tool) }),
  } as Hop;
}

function toolOf(tool: JsonObject): Hop['tool'] {
  const revision = textAt(tool, 'revision');
  const isAgain = getOwn(tool, 'again') === true;
  return {
    title: textAt(tool, 'title') ?? '',
    ...defined({ revision }),
    ...(isAgain ? { again: true as const } : {}),
  };
}
