/** Addresses for the pods of one node. */
export type AddressPool = {
  /** A free address; `wanted`, which a pod has already, counts as taken from now on. */
  take(wanted?: string): string;
  release(address: string): void;
};

/** Addresses of a `/20` that begins at `10.x.y.0`; each comes up again as late as possible. */
export function createAddressPool(first: number): AddressPool {
  const size = 4094;
  const taken = new Set<string>();
  let next = 0;
  const at = (offset: number): string => addressText(first + 1 + (offset % size));
  return {
    take(wanted) {
      if (wanted !== undefined) {
        taken.add(wanted);
        return wanted;
      }
      // More pods than addresses share the last: nothing is sent there anyhow.
      for (let tries = 0; tries < size && taken.has(at(next)); tries++) next++;
      const address = at(next++);
      taken.add(address);
      return address;
    },
    release: (address) => void taken.delete(address),
  };
}

/** The dotted form of a 32-bit number. */
export function addressText(value: number): string {
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join('.');
}
