import type { KubeObject } from '@kubewright/kube';
import type { Request } from '@kubewright/runtime';
import { withHash } from '../annotations/user-hash.ts';

/** An object, whatever its kind. */
export type ObjectPlace = {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
};

/** A write that an approval of mode `once` let through, and that may be stored by now. */
export type Use = {
  readonly approval: string;
  readonly child: ObjectPlace;
  /** Of a deletion: of the child that goes. */
  readonly deleted?: string;
};

/** What admission has seen of a parent and its annotations do not say yet. */
export type Note = {
  readonly controllers: readonly string[];
  /** 0: none, or the status says it itself. */
  readonly observedGeneration: number;
  readonly uses: readonly Use[];
  /** Milliseconds since 1970, when something was added last. */
  readonly at: number;
};

/** In memory: what is lost with a process is seen again with the next write. */
export type Notes = {
  add(parent: ObjectPlace, news: Partial<Omit<Note, 'at'>>): void;
  of(key: string): Note | undefined;
  /** Forgets a note, unless it has grown since. */
  drop(key: string, note: Note): void;
};

const NOTHING = { controllers: [], observedGeneration: 0, uses: [] };
const MOST = 10_000;
const MOST_USES = 20;

/** `onNews` is called with the key of each parent of which something was noted. */
export function createNotes(now: () => number, onNews: (key: Request) => void): Notes {
  const notes = new Map<string, Note>();
  return {
    add(parent, { controllers = [], observedGeneration = 0, uses = [] }) {
      const key = keyOf(parent);
      const old = notes.get(key) ?? NOTHING;
      if (notes.size >= MOST && !notes.has(key)) notes.delete([...notes.keys()][0] ?? '');
      notes.set(key, {
        controllers: controllers.reduce(withHash, old.controllers),
        observedGeneration: Math.max(observedGeneration, old.observedGeneration),
        uses: [...old.uses, ...uses].slice(-MOST_USES),
        at: now(),
      });
      onNews(requestFor(parent));
    },
    of: (key) => notes.get(key),
    drop(key, note) {
      if (notes.get(key) === note) notes.delete(key);
    },
  };
}

/** A request of the controller that keeps annotations of parents of all kinds. */
export function requestFor(place: ObjectPlace): Request {
  return { name: keyOf(place) };
}

export function placeOf({ apiVersion, kind, metadata }: KubeObject): ObjectPlace {
  return { apiVersion, kind, namespace: metadata.namespace ?? '', name: metadata.name ?? '' };
}

/** Neither of the four has a space. */
function keyOf({ apiVersion, kind, namespace, name }: ObjectPlace): string {
  return [apiVersion, kind, namespace, name].join(' ');
}

export function placeFrom(key: string): ObjectPlace {
  const [apiVersion = '', kind = '', namespace = '', name = ''] = key.split(' ');
  return { apiVersion, kind, namespace, name };
}
