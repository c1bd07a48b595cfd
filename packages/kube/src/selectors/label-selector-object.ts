import { compareText } from '../json/compare-text.ts';
import { KubeError } from '../kube-error.ts';
import {
  EVERYTHING,
  type LabelRequirement,
  type LabelSelector,
  type SelectorOperator,
} from './label-selector.ts';
import { labelRequirement } from './label-requirement.ts';
import { quoteGo } from '../object/quote-go.ts';

/** `metav1.LabelSelector`, as in a spec. */
export type LabelSelectorObject = {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
};

const OPERATORS = new Map<string, SelectorOperator>([
  ['In', 'in'],
  ['NotIn', 'notin'],
  ['Exists', 'exists'],
  ['DoesNotExist', '!'],
]);

/**
 * The selector of a spec's `selector` field: absent or null selects nothing, an empty one everything.
 * Throws {@link KubeError} `InvalidSelector`, worded as Go's `metav1.LabelSelectorAsSelector` words it.
 */
export function selectorFromLabelSelector(object: LabelSelectorObject | null | undefined): LabelSelector {
  if (object === null || object === undefined) return 'nothing';
  const labels = Object.entries(object.matchLabels ?? {});
  const expressions = object.matchExpressions ?? [];
  if (labels.length + expressions.length === 0) return EVERYTHING;
  const requirements = [
    ...labels.map(([key, value]) => labelRequirement(key, '=', [value])),
    ...expressions.map(({ key, operator, values = [] }) =>
      labelRequirement(key, operatorOf(operator), values),
    ),
  ];
  return requirements.sort(byKey);
}

function operatorOf(name: string): SelectorOperator {
  const operator = OPERATORS.get(name);
  if (!operator) {
    throw new KubeError('InvalidSelector', `${quoteGo(name)} is not a valid label selector operator`);
  }
  return operator;
}

function byKey(a: LabelRequirement, b: LabelRequirement): number {
  return compareText(a.key, b.key);
}
