import { Skeleton, Text } from '@mantine/core';
import classes from './stat-card.module.css';

interface StatCardProps {
  label: string;
  /** Undefined while it loads. */
  value: string | undefined;
  hint?: string | undefined;
}

/** One figure. */
export function StatCard({ label, value, hint }: StatCardProps) {
  return (
    <div className={`card ${classes.card}`}>
      <Text size="sm" c="dimmed" fw={500}>
        {label}
      </Text>
      {value === undefined ? (
        <Skeleton height={30} width="60%" my={4} />
      ) : (
        <div className={`numeric ${classes.value}`}>{value}</div>
      )}
      <Text size="xs" c="dimmed" className="numeric" truncate>
        {hint ?? ' '}
      </Text>
    </div>
  );
}
