/** Who else has an object: other Compositions, and what the object itself says of other tools. For people. */
export type Holders = {
  readonly compositions: readonly string[];
  readonly tools: readonly string[];
  /** A Composition that wants the object itself does not have it on record yet. Absent: all do. */
  readonly isUnrecorded?: boolean;
};
