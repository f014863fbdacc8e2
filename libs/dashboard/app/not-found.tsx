import { Anchor } from '@mantine/core';
import { QuestionMarkCircledIcon } from '@radix-ui/react-icons';
import { Link } from '@tanstack/react-router';
import { EmptyState } from '../components/feedback/empty-state';
import { usePageTitle } from '../components/hooks/use-page-title';

export function NotFound() {
  usePageTitle('Not found');
  return (
    <EmptyState icon={<QuestionMarkCircledIcon />} title="There is no such page">
      <Anchor renderRoot={(props) => <Link to="/" {...props} />}>Go to the overview</Anchor>
    </EmptyState>
  );
}
