# SPDX-License-Identifier: Apache-2.0
"""Third-party code inside a wheel, as a CycloneDX bill of materials."""

import json
import os
import uuid
import zipfile
from datetime import UTC, datetime
from pathlib import Path

from cyclonedx.model.bom import Bom, BomMetaData
from cyclonedx.model.component import Component, ComponentType
from cyclonedx.model.license import DisjunctiveLicense, LicenseExpression
from cyclonedx.output.json import JsonV1Dot6
from packageurl import PackageURL

import foreign

NAMESPACE = uuid.uuid5(uuid.NAMESPACE_DNS, "threadmodel")
BUNDLED = "threadmodel/web/licences.json"


def _component(
    name: str, version: str, licence: str, purl: PackageURL | None
) -> Component:
    return Component(
        name=name,
        version=version,
        licenses=[_licence(licence)],
        purl=purl,
        bom_ref=purl.to_string() if purl else name,
    )


def _licence(name: str) -> DisjunctiveLicense | LicenseExpression:
    # An expression has several names; of one alone the form with an id is customary.
    return LicenseExpression(name) if " " in name else DisjunctiveLicense(id=name)


def write(wheel: Path, version: str) -> Path:
    """Write the bill of a wheel beside it: the same for the same wheel.

    Its time is SOURCE_DATE_EPOCH, its number follows from the wheel's name.
    """
    moment = datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]), UTC)
    itself = _component(
        "threadmodel",
        version,
        "Apache-2.0",
        PackageURL(type="pypi", name="threadmodel", version=version),
    )
    itself.type = ComponentType.APPLICATION
    inside = [
        _component(
            library.name,
            library.upstream,
            library.licence,
            PackageURL(
                type="deb",
                namespace="debian",
                name=library.package,
                version=library.version,
                qualifiers={"arch": "source"},
            ),
        )
        for library in foreign.LIBRARIES
    ]
    inside.append(_component("uthash", foreign.uthash_version(), "BSD-1-Clause", None))
    with zipfile.ZipFile(wheel) as archive:
        bundled = json.loads(archive.read(BUNDLED))
    for package in bundled:
        namespace, _, name = package["name"].rpartition("/")
        purl = PackageURL(
            type="npm", namespace=namespace, name=name, version=package["version"]
        )
        inside.append(
            _component(package["name"], package["version"], package["license"], purl)
        )
    bom = Bom(
        components=inside,
        metadata=BomMetaData(component=itself, timestamp=moment),
        serial_number=uuid.uuid5(NAMESPACE, wheel.name),
    )
    bom.register_dependency(itself, inside)
    path = wheel.with_suffix(".cdx.json")
    path.write_text(JsonV1Dot6(bom).output_as_string(indent=1) + "\n")
    return path
