/** Who else has an object: other Compositions, and what the object itself says of other tools. For people. */
export type Holders = { readonly compositions: readonly string[]; readonly tools: readonly string[] };
