/** Name of a controller → what is changed in its planted build. */
export declare const PLANTS: Readonly<Record<string, { readonly about: string }>>;
