const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

const ESCAPES: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};

/**
 * The name under which a rule finds a property: `foo-bar` is `self.foo__dash__bar`, `namespace` is
 * `self.__namespace__`. Undefined for a property that no rule can name (it has other characters).
 */
export function escapeProperty(name: string): string | undefined {
  if (!/^[a-zA-Z_./-][a-zA-Z0-9_./-]*$/.test(name)) return undefined;
  if (RESERVED.has(name)) return `__${name}__`;
  return name.replace(/__|[-./]/g, (part) => ESCAPES[part] ?? part);
}

/** Words of the syntax, which are no names even behind a dot. */
const OPERANDS = new Set(['true', 'false', 'null', 'in']);

/** Whether a rule finds a property by its own name, too, although it is a reserved word: `self.namespace`. */
export function isSelectableWord(name: string): boolean {
  return RESERVED.has(name) && !OPERANDS.has(name);
}
