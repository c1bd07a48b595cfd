import { getOwn, isJsonArray, isJsonObject, type Json, type JsonObject } from '../json/json.ts';

/** One entry of `x-kubernetes-validations`. */
export type Rule = {
  readonly rule: string;
  readonly message: string;
  readonly messageExpression?: string;
  readonly reason?: string;
  readonly fieldPath?: string;
  readonly optionalOldSelf: boolean;
};

export function rulesOf(schema: JsonObject): Rule[] {
  const list = getOwn(schema, 'x-kubernetes-validations');
  return isJsonArray(list) ? list.filter(isJsonObject).map(readRule) : [];
}

/** How messages name a rule: by its message, else by its text. */
export function ruleName({ message, rule }: Rule): string {
  return (message || rule).trim();
}

function readRule(entry: JsonObject): Rule {
  const messageExpression = text(getOwn(entry, 'messageExpression'));
  const reason = text(getOwn(entry, 'reason'));
  const fieldPath = text(getOwn(entry, 'fieldPath'));
  return {
    rule: text(getOwn(entry, 'rule')) ?? '',
    message: text(getOwn(entry, 'message')) ?? '',
    optionalOldSelf: getOwn(entry, 'optionalOldSelf') === true,
    ...(messageExpression && { messageExpression }),
    ...(reason && { reason }),
    ...(fieldPath && { fieldPath }),
  };
}

function text(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
