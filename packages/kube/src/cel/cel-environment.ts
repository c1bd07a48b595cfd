import { Environment } from '@marcbachmann/cel-js';
import { registerConversions } from './library/register-conversions.ts';
import { registerFormats } from './library/register-formats.ts';
import { registerIps } from './library/register-ips.ts';
import { registerLists } from './library/register-lists.ts';
import { registerMacros } from './library/register-macros.ts';
import { registerOperators } from './library/register-operators.ts';
import { registerOptionals } from './library/register-optionals.ts';
import { registerQuantities } from './library/register-quantities.ts';
import { registerSemver } from './library/register-semver.ts';
import { registerStrings } from './library/register-strings.ts';
import { registerTimes } from './library/register-times.ts';
import { registerTwoVariables } from './library/register-two-variables.ts';
import { registerUrls } from './library/register-urls.ts';

let base: Environment | undefined;

/** A new environment with the functions that Kubernetes gives to CRD rules. Types and variables may be added to it. */
export function celEnvironment(): Environment {
  return (base ??= createBase()).clone();
}

function createBase(): Environment {
  // Allows mixed lists: Kubernetes accepts them as arguments of `format`, and rejects others when a CRD is created.
  const environment = new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false });
  registerConversions(environment);
  registerStrings(environment);
  registerTimes(environment);
  registerLists(environment);
  registerQuantities(environment);
  registerFormats(environment);
  registerUrls(environment);
  registerIps(environment);
  registerSemver(environment);
  registerTwoVariables(environment);
  registerMacros(environment);
  registerOptionals(environment);
  registerOperators(environment);
  return environment;
}
