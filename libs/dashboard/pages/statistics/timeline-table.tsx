import type { Statistics } from '#client';
import { MEASURES } from '../../components/chart/measures';
import { Section } from '../../components/section';
import { bucketLabel } from '../../format/bucket';
import classes from './timeline-table.module.css';

/** The figures of the chart, newest first. */
export function TimelineTable({
  statistics: { timeline },
  group,
}: {
  statistics: Statistics;
  group: 'hour' | 'day' | 'week';
}) {
  return (
    <Section title="As a table" flush>
      <div className={classes.scroller} tabIndex={0} role="region" aria-label="The timeline as a table">
        <table className="table tight">
          <thead>
            <tr>
              <th scope="col">{group === 'hour' ? 'Hour' : group === 'week' ? 'Week' : 'Day'} (UTC)</th>
              {Object.values(MEASURES).map(({ label }) => (
                <th key={label} scope="col" className="end">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {timeline.toReversed().map((bucket) => (
              <tr key={`${bucket.date}-${bucket.hour ?? ''}`}>
                <td className="nowrap">{bucketLabel(bucket, group)}</td>
                {Object.values(MEASURES).map(({ label, of, format }) => (
                  <td key={label} className="end numeric">
                    {format(of(bucket))}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}
