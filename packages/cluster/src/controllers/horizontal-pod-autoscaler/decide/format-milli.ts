import { formatQuantity, type QuantityFormat } from '@kubewright/kube/quantity';

/** Thousandths as a quantity: `250` → `250m`, `64000` → `64`. */
export function formatMilli(value: number, format: QuantityFormat = 'decimal'): string {
  return formatQuantity({ unscaled: BigInt(Math.trunc(value)), scale: 3, format });
}
