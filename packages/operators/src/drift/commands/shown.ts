import type { Hop } from '../api.ts';
import type { Drift } from './read-drifts.ts';
import type { ModeFound } from './read-mode.ts';
import type { OwnerState } from './state-of.ts';

/** A command line, and what it does. */
export type NextStep = { readonly command: string; readonly does: string };

/** All that is known about one object. */
export type Shown = {
  readonly namespace?: string;
  readonly mode: ModeFound;
  /** The state of the object itself: it decides on changes of what it owns. */
  readonly state: OwnerState;
  /** The state of its controller owner: it decides on changes of the object. */
  readonly parent?: OwnerState;
  readonly trace: readonly Hop[];
  /** Of the object, and of what it owns. */
  readonly drifts: readonly Drift[];
  /** What a person can do, the most likely first. */
  readonly next: readonly NextStep[];
};
