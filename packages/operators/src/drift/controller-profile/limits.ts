const LABEL = '[a-z0-9]+(-+[a-z0-9]+)*';

/** What a profile may say: in the definition, and again when one is read. The patterns take linear time. */
export const LIMITS = {
  /** Items of any list. */
  most: 20,
  group: { maxLength: 253, pattern: `^(${LABEL}(\\.${LABEL})*)?$` },
  kind: { minLength: 1, maxLength: 63, pattern: '^[A-Za-z]+[A-Za-z0-9]*(-+[A-Za-z0-9]+)*$' },
  source: { maxLength: 200 },
  condition: { minLength: 1, maxLength: 316, pattern: '^[A-Za-z0-9][A-Za-z0-9_./-]*$' },
  field: {
    minLength: 1,
    maxLength: 253,
    pattern: '^[A-Za-z_][A-Za-z0-9_-]*(\\.[A-Za-z_][A-Za-z0-9_-]*){0,7}$',
  },
  /** `*` is each item of a list: of two, one in the other. */
  announcedAt: {
    minLength: 1,
    maxLength: 253,
    pattern: '^[A-Za-z_][A-Za-z0-9_.-]*([*][A-Za-z0-9_.-]*){0,2}$',
  },
  announcedField: { minLength: 1, maxLength: 317, pattern: '^[A-Za-z_][A-Za-z0-9_./\\[\\]-]*$' },
  value: { maxLength: 100 },
  annotation: { minLength: 1, maxLength: 317, pattern: '^[A-Za-z0-9][A-Za-z0-9_./-]*$' },
  followed: { minLength: 1, maxLength: 317, pattern: '^[A-Za-z0-9_./-]*[*]?$' },
  uncovered: { minLength: 1, maxLength: 200 },
} as const;

/** The words of a condition's status. */
export const CONDITION_STATUSES = ['True', 'False', 'Unknown'] as const;
