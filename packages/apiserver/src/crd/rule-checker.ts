import type { JsonObject } from '@kubewright/kube';
import { type RuleProblem, compileRules } from '@kubewright/kube/cel';
import { type CheckRules, compileSchema } from '@kubewright/kube/schema';
import { type FieldError, fieldErrors } from '@kubewright/kube/validation';
import { objectsAt, stringAt } from '../objects/read.ts';
import { goRule } from './go-rule.ts';

const KEY = 'x-kubernetes-validations';

/** Compiles the rules of a definition's schema, which is at `root`, and reports errors at the path of each rule. */
export function ruleChecker(schema: JsonObject, root: string): CheckRules {
  let problems: readonly RuleProblem[] | undefined;
  return (place) => {
    problems ??= compileRules(compileSchema(schema)).problems;
    const here = objectPath(place.path.slice(root.length));
    const found = problems.filter(({ path }) => path === here);
    return objectsAt(place.schema, KEY).flatMap((rule, index) => [
      ...compileErrors(rule, found, `${place.path}.${KEY}[${index}]`),
      ...oldSelfErrors(rule, place.uncorrelatable, `${place.path}.${KEY}[${index}]`),
    ]);
  };
}

/** `.properties[spec].items.properties[a]` is `spec[*].a` in an object. */
function objectPath(schemaPath: string): string {
  return schemaPath
    .replaceAll(/\.properties\[([^\]]*)\]/g, '.$1')
    .replaceAll(/\.(?:items|additionalProperties)(?=[.]|$)/g, '[*]')
    .replace(/^\./, '');
}

function compileErrors(
  rule: JsonObject,
  problems: readonly RuleProblem[],
  path: string,
): readonly FieldError[] {
  return problems
    .filter((problem) => problem.rule === stringAt(rule, 'rule'))
    .map(({ message }) => fieldErrors.invalid(`${path}.rule`, goRule(rule), message));
}

function oldSelfErrors(
  rule: JsonObject,
  uncorrelatable: string | undefined,
  path: string,
): readonly FieldError[] {
  const text = stringAt(rule, 'rule');
  const optional = rule['optionalOldSelf'];
  if (usesOldSelf(text)) {
    const detail = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${uncorrelatable}`;
    return uncorrelatable === undefined ? [] : [fieldErrors.invalid(`${path}.rule`, text, detail)];
  }
  if (optional === undefined || optional === null) return [];
  return [
    fieldErrors.invalid(`${path}.optionalOldSelf`, optional, 'may not be set if oldSelf is not used in rule'),
  ];
}

/** Whether an expression uses `oldSelf` outside of string literals. */
function usesOldSelf(rule: string): boolean {
  const withoutTexts = rule.replaceAll(/"(?:[^"\\]|\\[^]?)*(?:"|$)|'(?:[^'\\]|\\[^]?)*(?:'|$)/g, '""');
  return /(?<![\w.])oldSelf\b/.test(withoutTexts);
}
