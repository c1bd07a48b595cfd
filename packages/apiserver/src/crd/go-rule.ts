import type { JsonObject } from '@kubewright/kube';
import { stringAt } from '../objects/read.ts';

/** A rule of a schema as an API server prints it in an error: a Go struct. */
export function goRule(rule: JsonObject): JsonObject {
  return {
    Rule: stringAt(rule, 'rule'),
    Message: stringAt(rule, 'message'),
    MessageExpression: stringAt(rule, 'messageExpression'),
    Reason: rule['reason'] ?? null,
    FieldPath: stringAt(rule, 'fieldPath'),
    OptionalOldSelf: rule['optionalOldSelf'] ?? null,
  };
}
