export {
  addQuantity,
  negateQuantity,
  type Quantity,
  quantityAsInteger,
  quantityAsNumber,
  type QuantityFormat,
  scaledQuantity,
} from './object/quantity.ts';
export * from './object/compare-quantity.ts';
export { parseQuantity } from './object/parse-quantity.ts';
export { formatQuantity } from './object/format-quantity.ts';
