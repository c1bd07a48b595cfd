import type { CelNode } from '../cel-node.ts';

// As much as is needed here of what the CEL library hands to a macro; see its `macros.js` and `registry.js`.

export type CelTypeDeclaration = {
  readonly kind: string;
  readonly name: string;
  readonly keyType: CelTypeDeclaration;
  readonly valueType: CelTypeDeclaration;
};

export type Context = {
  forkWithVariable(name: unknown, type: CelTypeDeclaration): Context;
  reuse(parent: Context): Context;
  setIterValue(value: unknown, evaluator: Evaluator): Context;
};

export type Checker = {
  readonly registry: {
    getListType(items: CelTypeDeclaration): CelTypeDeclaration;
    getMapType(keys: CelTypeDeclaration, values: CelTypeDeclaration): CelTypeDeclaration;
    getOptionalType(value: CelTypeDeclaration): CelTypeDeclaration;
  };
  check(node: CelNode, context: Context): CelTypeDeclaration;
  getType(name: string): CelTypeDeclaration;
  createError(code: string, message: string, node: CelNode): Error;
};

export type Evaluator = {
  run(node: CelNode, context: Context): unknown;
  tryEval(node: CelNode, context: Context): unknown;
};
