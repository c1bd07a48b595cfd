import type { Request } from '@kubewright/runtime';
import type { ObjectPlace } from '../api.ts';
import { placeKey } from '../annotations/place-of.ts';
import type { ScaleRecord } from './scale-record.ts';
import type { StatusClaim } from './status-claim.ts';

/** A write allowed by an approval of mode `once`; it may be stored by now. */
export type Use = {
  readonly approval: string;
  readonly child: ObjectPlace;
  /** For a deletion: uid of the child. */
  readonly deleted?: string;
};

/** What admission has learned about a parent that its annotations do not contain yet. */
export type Note = {
  /** Writes of its status: the last one of each user. */
  readonly statuses: readonly StatusClaim[];
  readonly uses: readonly Use[];
  /** The last write of its scale. */
  readonly scale?: ScaleRecord | undefined;
  /** The freeze that the brake puts on it. */
  readonly freeze?: string | undefined;
  /** When something was last added, in milliseconds since 1970. */
  readonly at: number;
};

/** In memory: after a restart it is learned again from the next write. */
export type Notes = {
  add(parent: ObjectPlace, news: Partial<Omit<Note, 'at'>>): void;
  of(key: string): Note | undefined;
  /** The freeze is stored: whoever ends it now has the last word. */
  frozen(key: string): void;
  /** Removes a note, unless it has grown since. */
  drop(key: string, note: Note): void;
};

const NOTHING: Omit<Note, 'at'> = { statuses: [], uses: [] };
const MOST = 10_000;
const MOST_USES = 20;
const MOST_CLAIMS = 5;

/** Calls `onNews` with the key of each parent that gets a note. */
export function createNotes(now: () => number, onNews: (key: Request) => void): Notes {
  const notes = new Map<string, Note>();
  return {
    add(parent, { statuses = [], uses = [], scale, freeze }) {
      const key = placeKey(parent);
      const old = notes.get(key) ?? NOTHING;
      if (notes.size >= MOST && !notes.has(key)) notes.delete(notes.keys().next().value ?? '');
      notes.set(key, {
        statuses: statuses.reduce(withClaim, old.statuses),
        uses: [...old.uses, ...uses].slice(-MOST_USES),
        scale: scale ?? old.scale,
        freeze: freeze ?? old.freeze,
        at: now(),
      });
      onNews(requestFor(parent));
    },
    of: (key) => notes.get(key),
    frozen(key) {
      const note = notes.get(key);
      if (note?.freeze === undefined) return;
      notes.set(key, { ...note, freeze: undefined });
      onNews({ name: key });
    },
    drop(key, note) {
      if (notes.get(key) === note) notes.delete(key);
    },
  };
}

function withClaim(claims: readonly StatusClaim[], claim: StatusClaim): readonly StatusClaim[] {
  return [...claims.filter(({ controller }) => controller !== claim.controller), claim].slice(-MOST_CLAIMS);
}

/** A request for the controller that annotates parents of any kind. */
export function requestFor(place: ObjectPlace): Request {
  return { name: placeKey(place) };
}
