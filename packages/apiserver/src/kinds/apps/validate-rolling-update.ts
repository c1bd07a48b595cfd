import type { appsv1, Json } from '@kubewright/kube';
import { isValidPercent } from '@kubewright/kube/validation';
import { Field } from '../../validation/field.ts';
import { type Change, defaults, inField, inOrder, when, zeroDefaults } from '../../objects/change-object.ts';

type Strategy = appsv1.DeploymentStrategy;
type Update = appsv1.RollingUpdateDeployment;

/** What is filled in of the strategy of a Deployment or DaemonSet; `update` is what its rolling update has. */
export function strategyDefaults(update: Update): Change {
  return inOrder(
    zeroDefaults<Strategy>({ type: 'RollingUpdate' }),
    when(
      (strategy) => new Field<Strategy>(strategy).is('type', 'RollingUpdate'),
      inOrder(
        defaults<Strategy>({ rollingUpdate: {} }),
        inField<Strategy>('rollingUpdate', defaults<Update>(update)),
      ),
    ),
  );
}

/** `maxUnavailable` and `maxSurge` of a Deployment. Both zero would never move. */
export function validateRollingUpdate(update: Field<Update>): void {
  const [unavailable, surge] = [update.at('maxUnavailable'), update.at('maxSurge')];
  validateAmount(unavailable);
  validateAmount(surge);
  if (amountOf(unavailable) === 0 && amountOf(surge) === 0)
    unavailable.addInvalid('may not be 0 when `maxSurge` is 0', { value: shown(unavailable) });
  validateNotMoreThanAll(unavailable);
}

/** Nothing reads as 0, as a Go `IntOrString` does. */
function shown({ value }: Field<number | string>): Json {
  return value ?? 0;
}

/** A number that is not negative or a percentage. */
export function validateAmount(amount: Field<number | string>): void {
  const { value } = amount;
  if (typeof value === 'string') for (const message of isValidPercent(value)) amount.addInvalid(message);
  else if (Number(value) < 0) amount.addInvalid('must be greater than or equal to 0');
}

/** The number, of whatever unit; text that is none counts as 0. */
export function amountOf({ value }: Field<number | string>): number {
  if (typeof value !== 'string') return Number(value);
  const digits = /^(\d+)%?$|^([+-]?\d+)$/.exec(value);
  return digits === null ? 0 : Number(digits[1] ?? digits[2]);
}

export function validateNotMoreThanAll(amount: Field<number | string>): void {
  const { value } = amount;
  if (typeof value !== 'string' || isValidPercent(value).length > 0) return;
  if (amountOf(amount) > 100) amount.addInvalid('must not be greater than 100%');
}
