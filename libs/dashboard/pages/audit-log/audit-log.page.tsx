import { useSearch } from '@tanstack/react-router';
import type { AuditLogListParams } from '#client';
import { PageHeader } from '../../components/page-header';
import { RequireScope } from '../../session/require-scope';
import { AUDIT_ACTIONS } from './audit-actions';
import { AuditEntries } from './audit-entries';
import { AuditFilters, type AuditSearch } from './audit-filters';

const CHANGES = 'POST,PUT,PATCH,DELETE';

export default function AuditLog() {
  const search: AuditSearch = useSearch({ strict: false });
  return (
    <>
      <PageHeader
        title="Audit log"
        description="Who did what, and with which result. Lists every request to the API, including refused ones."
      />
      <RequireScope anyOf={['admin:settings']}>
        <AuditFilters search={search} />
        <AuditEntries query={queryOf(search)} />
      </RequireScope>
    </>
  );
}

/** A request id finds any request. Otherwise, reads are left out unless `reads` is set. */
function queryOf({ request_id, action, reads, status, ...rest }: AuditSearch): AuditLogListParams {
  if (request_id) return { request_id };
  const { method, route } = AUDIT_ACTIONS.find(({ title }) => title === action) ?? {};
  const path = route ?? rest.path;
  return {
    ...rest,
    ...(path && { path }),
    ...(status && { status: Number(status) }),
    ...((method ?? !reads) && { method: method ?? CHANGES }),
  };
}
