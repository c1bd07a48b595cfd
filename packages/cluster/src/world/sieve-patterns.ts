/**
 * How often a world showed a component each of the three patterns in which partial histories break controllers.
 *
 * Source: Sun et al., "Automatic Reliability Testing For Cluster Management Controllers" (Sieve), OSDI '22.
 */
export type SievePatterns = {
  /** It crashed between two of its writes, and went on from what the first had left. */
  readonly intermediate: number;
  /** It read a state older than one that it had read before. */
  readonly stale: number;
  /** It never saw a state that an object had between two that it saw. */
  readonly unobserved: number;
};

/** What one component knows, across restarts. */
type Knowledge = {
  /** The newest revision that it has read. The response to its own write may have been lost. */
  newest: number;
  /** The newest state that it has seen of each object, by `resource/name`. */
  readonly objects: Map<string, number>;
  readonly seen: Set<number>;
  hasWritten: boolean;
  isInterrupted: boolean;
};

type Call = { readonly method: string; readonly path: string; readonly at: number };

type Counts = { -readonly [K in keyof SievePatterns]: number };

/** A write of an observed resource. */
const WRITE = /^\S+ (?:ADDED|MODIFIED|DELETED) (\S+) at (\d+)$/;
const CALL = /^\S+ (\S+) #\d+ ([A-Z]+) (\S+) 2\d\d(?: at (\d+))?$/;
const EVENT = /^\S+ (\S+) #\d+ event at (\d+)$/;
const CRASH = /^\S+ (\S+) #\d+ \S+ \S+ crash /;

/** Counts the patterns in a run's trace. */
export function sievePatterns(trace: readonly string[]): SievePatterns {
  const reader = new TraceReader();
  for (const line of trace) reader.read(line);
  return reader.counts;
}

class TraceReader {
  readonly counts: Counts = { intermediate: 0, stale: 0, unobserved: 0 };
  /** Revisions of each object's states, oldest first. */
  readonly #states = new Map<string, number[]>();
  readonly #objectAt = new Map<number, string>();
  readonly #components = new Map<string, Knowledge>();
  readonly #forms: readonly (readonly [RegExp, (...parts: string[]) => void])[] = [
    [WRITE, (object = '', at = '') => this.#noteWrite(object, Number(at))],
    [EVENT, (id = '', at = '') => this.#read(this.#of(id), Number(at))],
    [CRASH, (id = '') => this.#noteCrash(this.#of(id))],
    [
      CALL,
      (id = '', method = '', path = '', at = '0') =>
        this.#noteCall(this.#of(id), { method, path, at: Number(at) }),
    ],
  ];

  read(line: string): void {
    for (const [form, note] of this.#forms) {
      const [, ...parts] = form.exec(line) ?? [];
      if (parts.length > 0) note(...parts);
    }
  }

  #of(component: string): Knowledge {
    const known = this.#components.get(component) ?? {
      newest: 0,
      objects: new Map(),
      seen: new Set(),
      hasWritten: false,
      isInterrupted: false,
    };
    this.#components.set(component, known);
    return known;
  }

  #noteWrite(object: string, revision: number): void {
    const states = this.#states.get(object) ?? [];
    states.push(revision);
    this.#states.set(object, states);
    this.#objectAt.set(revision, object);
  }

  #noteCrash(component: Knowledge): void {
    component.isInterrupted = component.hasWritten;
    component.hasWritten = false;
  }

  #noteCall(component: Knowledge, call: Call): void {
    const [path = '', query = ''] = call.path.split('?');
    if (query.includes('watch=') || query.includes('dryRun=')) return;
    if (call.method !== 'GET') {
      this.#noteLanded(component);
      this.#observe(component, call.at);
    } else if (this.#isList(path)) this.#observeList(component, path, call.at);
    else this.#read(component, call.at);
  }

  #noteLanded(component: Knowledge): void {
    if (component.isInterrupted) this.counts.intermediate++;
    component.isInterrupted = false;
    component.hasWritten = true;
  }

  /** Of a resource that was ever written. */
  #isList(path: string): boolean {
    const resource = path.slice(path.lastIndexOf('/') + 1);
    return [...this.#states.keys()].some((object) => object.startsWith(`${resource}/`));
  }

  #observeList(component: Knowledge, path: string, revision: number): void {
    const resource = path.slice(path.lastIndexOf('/') + 1);
    if (revision < component.newest) this.counts.stale++;
    for (const [object, states] of this.#states) {
      const newest = states.findLast((state) => state <= revision);
      if (object.startsWith(`${resource}/`) && newest !== undefined) this.#observe(component, newest);
    }
    component.newest = Math.max(component.newest, revision);
  }

  #read(component: Knowledge, revision: number): void {
    component.newest = Math.max(component.newest, revision);
    this.#observe(component, revision);
  }

  /** The component sees the state that an object has had since this revision. */
  #observe(component: Knowledge, revision: number): void {
    component.seen.add(revision);
    const object = this.#objectAt.get(revision);
    if (object === undefined) return;
    const before = component.objects.get(object) ?? revision;
    const between = (this.#states.get(object) ?? []).filter((state) => state > before && state < revision);
    this.counts.unobserved += between.filter((state) => !component.seen.has(state)).length;
    component.objects.set(object, Math.max(before, revision));
  }
}
