import icon from '../app/icon.svg';

export function Logo({ size = 28 }: { size?: number }) {
  return <img src={icon} width={size} height={size} alt="" />;
}
