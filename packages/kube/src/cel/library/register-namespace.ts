import type { Environment } from '@marcbachmann/cel-js';

/** What the name of a namespace's type ends with. */
export const NAMESPACE = 'Namespace';

/**
 * Makes `name` a namespace, so that `name.f(x)` calls functions registered on the type it returns.
 * The library has no namespaces: this is a constant of a type of its own, and a type needs a class of its own.
 */
export function registerNamespace(environment: Environment, name: string): string {
  const type = `${name}${NAMESPACE}`;
  const ctor = class {
    readonly name = name;
  };
  environment.registerType(type, ctor).registerConstant(name, type, new ctor());
  return type;
}
