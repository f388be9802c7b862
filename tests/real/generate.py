# SPDX-License-Identifier: Apache-2.0
"""Java classes to compile: each extends, calls and holds others, so that a compiler
has to load and check them across files."""

from pathlib import Path

METHODS = 4

CLASS = """// SPDX-License-Identifier: Apache-2.0
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;

public class C{number}{extends} implements Comparable<C{number}> {{
    private final List<C{other}> others = new ArrayList<>();
    enum Kind {{ FIRST, SECOND, THIRD }}
    record Pair<A extends Comparable<A>, B>(A left, List<? extends B> right) {{}}

    public int compareTo(C{number} that) {{
        return Integer.compare(hashCode(), that.hashCode());
    }}
{methods}}}
"""
METHOD = """
    public Map<Kind, List<String>> m{index}(List<Pair<String, Integer>> pairs) {{
        Function<Pair<String, Integer>, Kind> kind = p -> switch (p.right().size()) {{
            case 0 -> Kind.FIRST;
            case {index} -> Kind.SECOND;
            default -> Kind.THIRD;
        }};
        others.add(new C{other}());
        return pairs.stream().collect(Collectors.groupingBy(kind,
                Collectors.mapping(pair -> pair.left() + others.size(),
                        Collectors.toList())));
    }}
"""


def write_classes(folder: Path, count: int) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for number in range(count):
        other = (number * 7 + 1) % count
        text = CLASS.format(
            number=number,
            other=other,
            extends=f" extends Base{number % 10}",
            methods="".join(
                METHOD.format(index=i, other=other) for i in range(1, METHODS)
            ),
        )
        (folder / f"C{number}.java").write_text(text)
    for number in range(10):
        (folder / f"Base{number}.java").write_text(
            "// SPDX-License-Identifier: Apache-2.0\n"
            f"public abstract class Base{number} {{}}\n"
        )
