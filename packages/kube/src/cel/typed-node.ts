import type { Located } from './anchor-of.ts';

type NodeType = { readonly kind: string; readonly name: string; readonly keyType?: NodeType };

/** A node of a checked tree; the library leaves out what it has not come to. */
export type TypedNode = Located & { readonly checkedType?: NodeType };

/** What is wrong with an expression, and where. */
export type Found = { readonly message: string; readonly position: number };
