type Props = { readonly title: string };

export function Header({ title }: Props) {
  return <h2 className="header">{title}</h2>;
}
