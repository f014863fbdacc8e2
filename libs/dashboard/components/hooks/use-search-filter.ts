import { useNavigate } from '@tanstack/react-router';

/** Changes the filters in the page's URL. Leaves out empty filters. */
export function useSearchFilter(): (change: object) => void {
  const navigate = useNavigate();
  return (change) =>
    void navigate({ to: '.', search: (before: object) => withoutEmpty({ ...before, ...change }), replace: true });
}

export function withoutEmpty<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value)) as Partial<T>;
}
